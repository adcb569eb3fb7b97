// What each kind of job does, put together.
import type { JobKind } from '../../core/job.ts';
import { runExport } from '../export/export.ts';
import { runExportImport } from '../import/from-export.ts';
import { runPeerImport } from '../import/from-peer.ts';
import { runTranscriptImport } from '../import/from-transcripts.ts';
import { runImport } from '../import/import.ts';
import type { MemoryDoorDeps } from '../memory-door.ts';
import { runRebuild } from '../rebuild/rebuild.ts';
import { runVacuum } from '../upkeep/vacuum.ts';
import type { RunJob } from './job.ts';

type JobDeps = Pick<
  MemoryDoorDeps,
  'db' | 'paths' | 'config' | 'log' | 'clock' | 'home' | 'hold' | 'onImported' | 'addReader'
> & {
  hasModel: () => boolean;
  onStored: () => void;
  onProject: (folder: string) => void;
};

export function chooseJobs(deps: JobDeps): Record<JobKind, RunJob> {
  const { db, paths, config, log, clock, hold, hasModel } = deps;
  const onStored = () => {
    deps.onStored();
    deps.onImported();
  };
  const kinds = {
    transcripts: runTranscriptImport({
      db,
      database: paths.database,
      options: config,
      clock,
      home: deps.home ?? '',
      keepDays: () => config().retentionDays,
      memoryDays: () => config().keepDays,
      hasModel,
      hold,
      addReader: deps.addReader,
      onStored,
      onProject: deps.onProject,
    }),
    export: runExportImport({ db, door: config, clock, log, onStored }),
    'claude-mem.db': runPeerImport({ db, door: config, dataDir: paths.dataDir, clock, onStored }),
  };
  return {
    import: runImport(kinds),
    export: runExport({ db, log, clock }),
    rebuild: runRebuild({
      db,
      database: paths.database,
      options: config,
      clock,
      home: deps.home ?? '',
      keepRecords: () => config().keepRecords,
      onStored: deps.onStored,
    }),
    vacuum: runVacuum({ db, paths, log }),
  };
}
