// The command palette: pages, actions, projects and memories by a few letters; Ctrl or Cmd with K, and More on a phone.
import { signal } from '@preact/signals';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { SearchAnswer } from '../../../src/core/shapes/search.ts';
import { copy } from '../copy.ts';
import { sayProblem } from '../correct.ts';
import { toggleDensity } from '../density.ts';
import { memoryPage } from '../links.ts';
import { openRemember } from '../opened-memory.ts';
import { PAGES } from '../pages/index.ts';
import { projects } from '../projects.ts';
import { go } from '../router.ts';
import { findWholeSilence, pause, resume } from '../silences.ts';
import { theme } from '../theme.ts';
import { useAnswer } from '../use-answer.ts';
import { Dialog } from './dialog.tsx';
import { Icon, type IconName, TypeIcon } from './icon.tsx';
import { showKeys } from './keys.tsx';
import '../styles/palette.css';

const isShown = signal(false);

export const showPalette = () => {
  isShown.value = true;
};

export const togglePalette = () => {
  isShown.value = !isShown.peek();
};

const hide = () => {
  isShown.value = false;
};

type Command = { name: string; about: string; icon?: IconName; type?: string; key?: string; run: () => void };

const silent = (work: Promise<unknown>) => void work.catch(sayProblem);

function listCommands(): Command[] {
  const whole = findWholeSilence();
  return [
    ...PAGES.filter(({ icon }) => icon).map(
      ({ name, path, icon, key }): Command => ({
        name,
        about: 'page',
        ...(icon ? { icon } : {}),
        ...(key ? { key: `g ${key}` } : {}),
        run: () => go(path),
      }),
    ),
    { name: 'Log', about: 'page', icon: 'file', run: () => go('/view/logs') },
    { name: 'Remember something', about: 'action', icon: 'plus', key: 'n', run: openRemember },
    { name: 'Import past sessions', about: 'action', icon: 'data', run: () => go('/view/data') },
    { name: 'Export everything', about: 'action', icon: 'data', run: () => go('/view/data') },
    { name: 'Back up now', about: 'action', icon: 'data', run: () => go('/view/data') },
    whole?.kind === 'paused'
      ? { name: 'Resume', about: 'action', icon: 'next', run: () => silent(resume(whole)) }
      : { name: 'Pause for 1 hour', about: 'action', icon: 'warn', run: () => silent(pause({ minutes: 60 })) },
    { name: 'Compact or roomy rows', about: 'action', icon: 'feed', run: toggleDensity },
    { name: 'Light theme', about: 'action', icon: 'settings', run: () => set('light') },
    { name: 'Dark theme', about: 'action', icon: 'settings', run: () => set('dark') },
    { name: 'All keys', about: 'action', icon: 'help', key: '?', run: showKeys },
    { name: 'Copy this address', about: 'action', icon: 'copy', run: () => silent(copy(location.href, 'the address')) },
    ...projects.value.map(
      ({ name, value }): Command => ({
        name: `Decisions of ${name}`,
        about: 'project',
        icon: 'projects',
        run: () => go(`/view/decisions?project=${encodeURIComponent(value)}`),
      }),
    ),
  ];
}

const set = (chosen: 'light' | 'dark') => {
  theme.value = chosen;
};

export function Palette() {
  return isShown.value ? <OpenPalette /> : null;
}

const MEMORIES = 6;
const SEARCH_FROM = 3;
const SHOWN = 30;

function OpenPalette() {
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const words = text.trim().toLowerCase();
  const isSearch = words.length >= SEARCH_FROM;
  const found = useAnswer<SearchAnswer>(isSearch ? '/api/search' : null, { query: text.trim(), all: true, limit: MEMORIES });
  const memories = isSearch ? (found.data?.results ?? []) : [];
  const commands = [
    ...listCommands().filter(({ name }) => words.split(/\s+/).every((word) => name.toLowerCase().includes(word))),
    ...memories.map(({ id, title, type, project }): Command => ({ name: title, about: project, type, run: () => go(memoryPage(id)) })),
    ...(isSearch
      ? [
          {
            name: `Search for “${text.trim()}”`,
            about: 'search',
            icon: 'search' as const,
            run: () => go(`/view/search?q=${encodeURIComponent(text.trim())}`),
          },
        ]
      : []),
  ].slice(0, SHOWN);
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' }), [at]);
  const run = (command: Command | undefined) => {
    hide();
    command?.run();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && commands.length > 0) setAt((at + step + commands.length) % commands.length);
    else if (event.key === 'Enter') run(commands[at]);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog title="Find or do" onClose={hide} className="palette">
      <input
        data-first
        // biome-ignore lint/a11y/noRedundantRoles: without a list of the browser's own it is none yet.
        role="combobox"
        list={undefined}
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant={`palette-${at}`}
        aria-label="A page, an action, a memory"
        placeholder="A page, an action, a memory"
        spellcheck={false}
        value={text}
        onInput={({ currentTarget }) => {
          setText(currentTarget.value);
          setAt(0);
        }}
        onKeyDown={onKeyDown}
      />
      <div ref={list} id="palette-list" role="listbox" aria-label="Matches">
        {commands.map((command, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the field, which keeps the focus.
          <div
            key={`${command.about} ${command.name} ${index}`}
            id={`palette-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === at}
            onMouseMove={() => setAt(index)}
            onClick={() => run(command)}
          >
            {command.type ? <TypeIcon type={command.type} /> : <Icon name={command.icon ?? 'file'} />}
            <span class="palette-name" dir="auto">
              {command.name}
            </span>
            <span class="faint tiny">{command.about}</span>
            {command.key && <kbd>{command.key}</kbd>}
          </div>
        ))}
      </div>
      {commands.length === 0 && <p class="faint">Nothing fits.</p>}
    </Dialog>
  );
}
