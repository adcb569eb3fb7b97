// What is captured where nothing is set: all of it.
import type { CaptureSettings } from '../../src/capture/judge.ts';

export const CAPTURE_ALL: CaptureSettings = { skipTools: [], off: false, excludePaths: [], projects: {}, subprojects: [], doubt: null };
