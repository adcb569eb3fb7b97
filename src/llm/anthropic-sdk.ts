// The model SDK in a bundle of its own: a megabyte that only a worker that asks this provider loads.
export { Anthropic } from '@anthropic-ai/sdk';
