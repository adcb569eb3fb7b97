// What the worker and its importing processes say to each other.

import type { FoundFile } from '../../importer/transcript-files.ts';
import type { Rebuilt } from '../../observe/rebuild.ts';
import type { DoorSettings } from '../silence/leave-out.ts';
import type { Unreadable } from '../transcripts/take-session.ts';

export type ImportOrder =
  | {
      kind: 'begin';
      database: string;
      /** Raw payloads of what is older are dropped as soon as they were used. */
      keepSince: number;
    }
  | {
      kind: 'session';
      /** As they are now: somebody may switch off a project while it is imported. */
      settings: DoorSettings;
      host: string;
      files: FoundFile[];
      isOver: boolean;
      /** Its turns are kept for the model, too. */
      isDeep: boolean;
    }
  | RebuildOrder;

/** `isDry`: it only counts. */
export type RebuildOrder =
  /** Looks whether the index of words is whole, and makes it again if not. */
  | { kind: 'words'; isDry: boolean }
  /** Makes the records that a session lacks. `files`: its transcripts, where there are some; `since`: what ended before is not kept. */
  | {
      kind: 'records';
      session: string;
      host: string;
      files: FoundFile[];
      settings: DoorSettings;
      since: number;
      isDry: boolean;
    }
  /** Makes again what is derived from the records of some sessions, by our ids. */
  | { kind: 'rebuild'; sessions: number[]; isDry: boolean };

export type ImportNews =
  | { kind: 'ready' }
  | { kind: 'bytes'; bytes: number }
  | {
      kind: 'taken';
      added: number;
      observations: number;
      /** It was to be deepened, and is more than its transcript says. */
      isLeftAsItIs: boolean;
      unreadable?: Unreadable;
    }
  | { kind: 'words'; isSound: boolean }
  | { kind: 'recorded'; records: number; forgotten: number }
  | ({ kind: 'rebuilt' } & Rebuilt)
  | {
      kind: 'failed';
      error: string;
      /** It was never begun. */
      isUntried?: boolean;
    };
