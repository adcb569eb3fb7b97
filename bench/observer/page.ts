// A page to read: what the local observer makes of a real transcript, turn by turn, as its user would see it.
import { basename } from 'node:path';
import { claudeCode } from '../../src/agents/claude-code/agent.ts';
import type { SessionEvent, ToolEvent } from '../../src/core/event.ts';
import type { Batch, ObservationDraft, Observed } from '../../src/core/observation.ts';
import { observeBatch } from '../../src/observe/observe.ts';
import { readTranscript } from './transcript.ts';

export function transcriptPage(path: string): string {
  const turns = splitTurns(readEvents(path));
  const session: Batch['session'] = { firstPrompt: null, title: null };
  const earlier: ToolEvent[] = [];
  const pages: string[] = [];
  let subtitle: string | null = null;
  turns.forEach((events, at) => {
    const cwd = events[0]?.cwd ?? '/';
    session.firstPrompt ??= events.find((event) => event.kind === 'prompt')?.text ?? null;
    const observed = observeBatch({
      project: { name: basename(cwd), root: cwd },
      session: { ...session },
      events,
      earlier: [...earlier],
    });
    session.title ??= observed.title;
    subtitle = observed.subtitle ?? subtitle;
    earlier.push(...events.filter((event) => event.kind === 'tool'));
    pages.push(turnPage(observed, at + 1));
  });
  return [`# ${session.title ?? 'Untitled'}`, subtitle ? `*${subtitle}*` : '', ...pages].join('\n\n');
}

export function readEvents(path: string): SessionEvent[] {
  return readTranscript(path).flatMap((payload, at) => {
    const parsed = claudeCode.parseHook({ id: `e${at}`, command: 'save', payload, receivedAt: 0 });
    return parsed.kind === 'event' ? [parsed.event] : [];
  });
}

/** A turn ends with its stop; the end of the session joins the last one. */
export function splitTurns(events: SessionEvent[]): SessionEvent[][] {
  const turns: SessionEvent[][] = [[]];
  for (const event of events) {
    const open = turns.at(-1);
    if (open?.at(-1)?.kind === 'stop' && event.kind !== 'end') turns.push([event]);
    else open?.push(event);
  }
  return turns.filter((turn) => turn.length > 0);
}

function turnPage({ observations, summary }: Observed, number: number): string {
  const fields = summary
    ? Object.entries(summary)
        .filter(([name, value]) => name !== 'at' && value !== null && !(Array.isArray(value) && value.length === 0))
        .map(([name, value]) => `- **${name}**: ${Array.isArray(value) ? value.join(', ') : String(value).replaceAll('\n', '\n  ')}`)
    : ['(no summary: the turn goes on)'];
  return [`## Turn ${number}`, ...observations.map(observationPage), '### Summary', fields.join('\n')].join('\n\n');
}

function observationPage(one: ObservationDraft): string {
  return [
    `### [${one.type}] ${one.title}`,
    one.subtitle ? `*${one.subtitle}*` : null,
    `${one.origin}${one.outcome ? ` · ${one.outcome}` : ''} · ${one.concepts.join(', ')}`,
    one.narrative ? `> ${one.narrative.replaceAll('\n', ' ')}` : null,
    one.facts.map((fact) => `- ${fact.text} [${fact.sources.join(' ')}]`).join('\n'),
    one.filesModified.length > 0 ? `modified: ${one.filesModified.join(', ')}` : null,
    one.filesRead.length > 0 ? `read: ${one.filesRead.join(', ')}` : null,
  ]
    .filter((part) => part !== null)
    .join('\n\n');
}
