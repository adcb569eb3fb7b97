// Lines as Claude Code writes them into a transcript, as short as a test needs them.

export const SESSION = '11111111-2222-4333-8444-555555555555';
export const CWD = '/home/dev/shop';

export type Lines = ReturnType<typeof createLines>;

/** One conversation: each line a second after the one before. */
export function createLines({ session = SESSION, cwd = CWD, from = Date.parse('2026-03-02T09:00:00Z') } = {}) {
  let at = from;
  let messages = 0;
  const line = (type: string, message: object | null, more: object = {}) => {
    at += 1000;
    return {
      parentUuid: null,
      isSidechain: false,
      type,
      ...(message && { message }),
      uuid: `uuid-${at}`,
      timestamp: new Date(at).toISOString(),
      cwd,
      sessionId: session,
      version: '2.1.325',
      gitBranch: 'main',
      ...more,
    };
  };
  const answer = (content: object, stop: string | null, more: object = {}) =>
    line('assistant', { id: `msg_${messages}`, role: 'assistant', content: [content], stop_reason: stop }, more);
  return {
    line,
    prompt: (text: string | object[], promptId: string | null = null, more: object = {}) =>
      line('user', { role: 'user', content: text }, { ...(promptId && { promptId }), ...more }),
    use: (id: string, name: string, input: object, more: object = {}) => {
      messages++;
      return answer({ type: 'tool_use', id, name, input }, 'tool_use', more);
    },
    result: (id: string, content: string, toolUseResult: unknown, more: object = {}) =>
      line('user', { role: 'user', content: [{ tool_use_id: id, type: 'tool_result', content }] }, { toolUseResult, ...more }),
    failure: (id: string, content: string, more: object = {}) =>
      line(
        'user',
        { role: 'user', content: [{ type: 'tool_result', content, is_error: true, tool_use_id: id }] },
        { toolUseResult: `Error: ${content}`, ...more },
      ),
    say: (text: string, stop: string | null = 'end_turn') => {
      messages++;
      return answer({ type: 'text', text }, stop);
    },
    bash: (id: string, command: string, stdout: string): object[] => [
      answer({ type: 'tool_use', id, name: 'Bash', input: { command } }, 'tool_use'),
      line(
        'user',
        { role: 'user', content: [{ tool_use_id: id, type: 'tool_result', content: stdout }] },
        { toolUseResult: { stdout, stderr: '', interrupted: false } },
      ),
    ],
  };
}

/** A turn of everything: what the host adds, what a person says, tools that work, fail and are refused. */
export function ordinarySession(session = SESSION): object[] {
  const { line, prompt, use, result, failure, say, bash } = createLines({ session });
  return [
    { type: 'queue-operation', operation: 'enqueue', content: 'Fix the slug', sessionId: session },
    { type: 'file-history-snapshot', messageId: 'm', snapshot: { trackedFileBackups: {} } },
    prompt(
      [
        { type: 'text', text: '<ide_opened_file>The user opened plan.md.</ide_opened_file>' },
        { type: 'text', text: 'Fix the slug, it must keep umlauts.' },
      ],
      'p1',
    ),
    line('assistant', { id: 'think', role: 'assistant', content: [{ type: 'thinking', thinking: 'Let me look.' }] }),
    say('I will look at the test first.', 'tool_use'),
    ...bash('toolu_1', 'bun test slug', '1 fail'),
    use('toolu_2', 'Read', { file_path: `${CWD}/src/slug.ts` }),
    result('toolu_2', '1\tslug', { type: 'text', file: { filePath: `${CWD}/src/slug.ts`, content: 'slug' } }),
    use('toolu_3', 'Bash', { command: 'exit 3' }),
    failure('toolu_3', 'Exit code 3\noops'),
    use('toolu_4', 'Write', { file_path: `${CWD}/x`, content: 'x' }),
    failure('toolu_4', "The user doesn't want to proceed with this tool use. The tool use was rejected."),
    line('user', { role: 'user', content: [{ type: 'text', text: '[Request interrupted by user for tool use]' }] }),
    prompt('<command-message>ship</command-message>\n<command-name>/ship</command-name>\n<command-args>now</command-args>', 'p2'),
    line('user', { role: 'user', content: [{ type: 'text', text: 'Ship it: now' }] }, { isMeta: true, promptId: 'p2' }),
    ...bash('toolu_5', 'git push', 'done'),
    say('Shipped: the slug keeps umlauts now, because it is normalised before it is cut.'),
    line('system', null, { subtype: 'stop_hook_summary' }),
    prompt('<command-name>/model</command-name><command-message>model</command-message><command-args></command-args>'),
    prompt('<local-command-stdout>Set model</local-command-stdout>'),
    line('system', null, { subtype: 'compact_boundary', content: 'Conversation compacted' }),
    prompt('This session is being continued. The slug keeps umlauts.', 'p3', { isCompactSummary: true, isVisibleInTranscriptOnly: true }),
    prompt('And the tests?', 'p4'),
    line('attachment', null, { attachment: { type: 'queued_command', prompt: 'Also on Windows!' } }),
    use('toolu_6', 'Bash', { command: 'sleep 1000' }),
  ];
}
