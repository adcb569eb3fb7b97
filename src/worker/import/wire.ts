// What the worker and its importing processes say to each other.
import type { FoundFile } from '../../importer/transcript-files.ts';
import type { DoorSettings } from '../silence/leave-out.ts';

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
    };

export type ImportNews =
  | { kind: 'ready' }
  | { kind: 'bytes'; bytes: number }
  | {
      kind: 'taken';
      added: number;
      observations: number;
      /** It was to be deepened, and is more than its transcript says. */
      isLeftAsItIs: boolean;
    }
  | {
      kind: 'failed';
      error: string;
      /** It was never begun. */
      isUntried?: boolean;
    };
