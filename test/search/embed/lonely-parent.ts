// Starts the embedder's process, prints its pid, and waits to be killed.
import { createChildEmbedder } from '../../../src/search/embed/child-embedder.ts';
import { findEmbedder } from '../../../src/search/embed/find-embedder.ts';

let pid = 0;
const embedder = createChildEmbedder({
  engine: 'static',
  child: findEmbedder(),
  onEvent: (event) => {
    pid = event.pid;
  },
});
await embedder.embed(['a'], 'document');
console.log(pid);
