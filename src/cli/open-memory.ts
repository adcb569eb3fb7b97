// The memory as a command asks for it: for an agent that runs the command, only its own project.
import { createMemoryApi, type MemoryApi } from '../client/memory-api.ts';
import { findAgent } from '../environment.ts';
import { findAgentPlace, findPaths } from '../paths.ts';

export const openMemory = (): MemoryApi => createMemoryApi(findPaths(), findAgent() === null ? undefined : findAgentPlace());
