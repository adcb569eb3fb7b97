// The real `claude` keeps the contract of a model.
import { messagesStreamWire } from '../../model/providers/messages-wire.ts';
import { describeModelContract } from '../../model/providers/model-contract.ts';
import { makeClaudeHome } from './claude-home.ts';

const claude = makeClaudeHome();

describeModelContract('claude', {
  wire: messagesStreamWire,
  shortMs: 4000,
  isSlow: true,
  create: ({ url }) => claude.create(url),
  close: claude.close,
  exceptions: {
    '404': { requests: 2, why: 'it tries once more without streaming, and no setting stops it; neither is billed' },
    '429 with Retry-After': { isUntilKnown: false, why: 'it does not pass the header on' },
  },
});
