// Starts the embedder's process, prints its pid, and waits to be killed.
import { ChildEmbedder } from '../../../src/search/embed/child-embedder.ts';
import { findEmbedder } from '../../../src/search/embed/engines.ts';

let pid = 0;
const embedder = new ChildEmbedder({
  engine: 'static',
  ...findEmbedder(),
  onEvent: (event) => {
    pid = event.pid;
  },
});
await embedder.embed(['a'], 'document');
console.log(pid);
