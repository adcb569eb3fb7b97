// Gemini CLI's hooks have no id for a tool's call, its chats do: what was asked and answered is what both have.
import { hashParts } from '../../core/ids.ts';
import { asRecord, type Fields, text } from '../fields.ts';
import { wholeText } from '../json.ts';
import { wordsOf } from './tool-answer.ts';

/** What is longer may have been made shorter for one of them. */
const SHORT = 4000;

/** Null for what is no call of a tool. The same call with the same answer is told apart by its count, which only a chat knows. */
export function contentId(payload: Fields): string | null {
  const { agent_id: agent, session_id: session, tool_use_count: count } = payload;
  const tool = text(payload.tool_name);
  if (tool === '') return null;
  const response = asRecord(payload.tool_response);
  const said = text(asRecord(response.error).message) || wordsOf(response);
  const hash = hashParts([tool, wholeText(payload.tool_input), said.length > SHORT ? '' : said]);
  const id = `${String(agent || session || '')}:${hash}`;
  return typeof count === 'number' && count > 1 ? `${id}#${count}` : id;
}
