// The real Claude Code for the tests.
import { findProgram } from './npm-program.ts';

const CLAUDE = { name: 'claude-code', package: '@anthropic-ai/claude-code', version: '2.1.325', command: '.bin/claude', megabytes: 350 };

/** The path of a runnable `claude`. */
export const claudeBinary = (): Promise<string> => findProgram(CLAUDE);
