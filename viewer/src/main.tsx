// The viewer begins here: get in by the one-time code in the address, then show the page.
import './styles/tokens.css';
import './styles/base.css';
import { render } from 'preact';
import { App } from './app.tsx';
import { listenToKeys } from './keyboard.ts';
import { togglePalette } from './parts/palette.tsx';
import { startRouter } from './router.ts';
import { watch } from './stream.ts';
import { getIn, helpSiblings } from './token.ts';

const root = document.getElementById('app');
if (!root) throw new Error('index.html has no #app');
startRouter();
listenToKeys(togglePalette);
render(<App />, root);
// A new link in a tab that is open already changes only the end of its address.
addEventListener('hashchange', () => void getIn());
helpSiblings();
getIn().then(watch);
