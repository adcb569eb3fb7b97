// A browser extension in plain JS, tried by hand: a timer the browser kills, a keep-alive given up a turn later, a CSV export half done.
import { playDay } from '../days/day.ts';
import { bash, bashFails, edit, end, prompt, read, stop, write } from '../days/steps.ts';
import { webFetch } from '../days/talk.ts';

export const tabLantern = playDay({
  name: 'tab-lantern',
  root: '/home/ines/tab-lantern',
  startsAt: '2026-02-05T20:15:00Z',
  sessions: [
    [
      prompt(
        'Hello, is me again. My extension counts the minutes for each tab and shows it in the badge, but after some time the badge does not move more. If I click the icon then it starts again from where it was. There is no tests in this project, I always try it by hand in Chrome, so tell me what I have to click.',
      ),
      bash('ls -R --ignore=node_modules', 'List', '.:\nbackground.js\nicons\nmanifest.json\npopup.html\npopup.js\n\n./icons:\n128.png'),
      read(
        'manifest.json',
        '{\n  "manifest_version": 3,\n  "name": "Tab Lantern",\n  "version": "0.4.1",\n  "permissions": ["tabs", "storage"],\n  "background": { "service_worker": "background.js" }\n}',
      ),
      read(
        'background.js',
        `
        const minutes = {};

        setInterval(async () => {
          const [tab] = await chrome.tabs.query({ active: true, lastFocusedWindow: true });
          if (!tab) return;
          minutes[tab.id] = (minutes[tab.id] ?? 0) + 1;
          chrome.action.setBadgeText({ text: String(minutes[tab.id]) });
        }, 60_000);`,
      ),
      edit(
        'background.js',
        'const minutes = {};\n',
        'const minutes = {};\n\n// Any API call resets the idle timer of the worker.\nsetInterval(() => chrome.runtime.getPlatformInfo(() => {}), 20_000);\n',
      ),
      bash('node --check background.js && echo ok', 'Check the syntax', 'ok'),
      stop(`
        Chrome stops an idle service worker after 30 seconds, and the \`setInterval\` of \`background.js\` dies with it.

        - I added a keep-alive:
          - every 20 seconds \`background.js\` calls \`chrome.runtime.getPlatformInfo\`
          - this should keep the worker awake, though I have only checked the syntax
        - To try it:
          1. \`chrome://extensions\` → reload Tab Lantern
          2. leave one tab open for ten minutes without clicking
          3. the badge should say 10`),
      prompt(
        'I have tried. It counts until 5 and then it stops the same. Also when the laptop sleeps is zero again everything. And I see in the task manager that it eats the battery, this I do not like',
      ),
      webFetch(
        'https://developer.chrome.com/docs/extensions/develop/concepts/service-workers/lifecycle',
        'When is an extension service worker stopped, and what survives',
        'A worker is terminated after 30 seconds of inactivity, or when a single request takes longer than 5 minutes. Global variables are lost when it shuts down. Use chrome.alarms instead of setTimeout or setInterval; the minimum period is 30 seconds.',
      ),
      edit(
        'background.js',
        '\n// Any API call resets the idle timer of the worker.\nsetInterval(() => chrome.runtime.getPlatformInfo(() => {}), 20_000);\n',
        '',
      ),
      write(
        'background.js',
        `
        chrome.runtime.onInstalled.addListener(() => chrome.alarms.create('minute', { periodInMinutes: 1 }));

        chrome.alarms.onAlarm.addListener(async () => {
          const [tab] = await chrome.tabs.query({ active: true, lastFocusedWindow: true });
          if (!tab) return;
          const { minutes = {} } = await chrome.storage.local.get('minutes');
          minutes[tab.url] = (minutes[tab.url] ?? 0) + 1;
          await chrome.storage.local.set({ minutes });
          chrome.action.setBadgeText({ text: String(minutes[tab.url]) });
        });`,
      ),
      edit('manifest.json', '["tabs", "storage"]', '["tabs", "storage", "alarms"]'),
      bash('node --check background.js && python3 -m json.tool manifest.json > /dev/null && echo ok', 'Check syntax', 'ok'),
      stop(`
        You are right, the keep-alive was a bad idea: it drains the battery and Chrome ends the worker anyway. I took it out.

        - **Timer**: \`chrome.alarms\` wakes the worker once a minute
          - needs the \`alarms\` permission, which shows no warning to users
        - **Counts**: they live in \`chrome.storage.local\`
          - so they survive sleep and restarts
          - the key is the URL now; tab ids change with every restart

        Please reload the extension and try the same ten minutes, with a sleep in between.`),
      prompt('Now it works!! 40 minutes and also after the sleep. Can you make a button that gives me the minutes as CSV?'),
      read('popup.html', '<body>\n  <ul id="list"></ul>\n  <script src="popup.js"></script>\n</body>'),
      edit('popup.html', '  <ul id="list"></ul>\n', '  <ul id="list"></ul>\n  <button id="csv">Save as CSV</button>\n'),
      read(
        'popup.js',
        "const list = document.getElementById('list');\nfor (const [url, count] of entries) {\n  list.innerHTML += '<li>' + url + ' ' + count + '</li>';\n}\n// buttons",
      ),
      edit(
        'popup.js',
        '// buttons\n',
        `document.getElementById('csv').addEventListener('click', async () => {
  const { minutes = {} } = await chrome.storage.local.get('minutes');
  const rows = Object.entries(minutes).map(([url, count]) => '"' + url.replaceAll('"', '""') + '",' + count);
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob(['url,minutes\\n' + rows.join('\\n')], { type: 'text/csv' }));
  link.download = 'tab-lantern.csv';
  link.click();
});\n`,
      ),
      bash('node --check popup.js && echo ok', 'Check the syntax', 'ok'),
      bash(
        'npx web-ext run --target=firefox-desktop --no-input 2>&1 | tail -3',
        'Try it in Firefox',
        'Running web extension from /home/ines/tab-lantern\nInstalled /home/ines/tab-lantern as a temporary add-on\nJavaScript error: popup.js, line 11: NS_ERROR_NOT_AVAILABLE: popup closed before download',
      ),
      stop(`
        Half of it is there.

        - **Chrome**: the popup has a button *Save as CSV*, it writes \`tab-lantern.csv\` with one row per URL. I could not click it myself, so please do.
        - **Firefox**: does not work yet. The popup closes before the download starts; the export probably has to move into \`background.js\`.

        One thing I chose on purpose: the file is made with a Blob and a link, not with \`chrome.downloads\`, because a new \`downloads\` permission would disable the extension for everyone until they accept it.`),
      prompt('ok Firefox is for another day. what files are in the folder now?'),
      bash('ls', 'List', 'background.js\nicons\nmanifest.json\npopup.html\npopup.js'),
      stop('`background.js`, `manifest.json`, `popup.html`, `popup.js` and the `icons` folder.'),
      end(),
    ],
    [
      prompt('The store of Mozilla has rejected my version because "unsafe assignment", I do not understand what they want'),
      bashFails(
        'npx web-ext lint --warnings-as-errors',
        'Lint as the store does',
        `
        Validation Summary:

        errors          0
        notices         0
        warnings        1

        WARNINGS:

        Code                          Message                     Description                                   File       Line   Column
        UNSAFE_VAR_ASSIGNMENT         Unsafe assignment to        Due to both security and performance          popup.js   3      3
                                      innerHTML                   concerns, this may not be set using dynamic
                                                                  values which have not been adequately
                                                                  sanitized.`,
      ),
      read('popup.js'),
      edit(
        'popup.js',
        "  list.innerHTML += '<li>' + url + ' ' + count + '</li>';\n",
        "  const item = document.createElement('li');\n  item.textContent = url + ' ' + count;\n  list.append(item);\n",
      ),
      bash(
        'npx web-ext lint --warnings-as-errors',
        'Lint again',
        'Validation Summary:\n\nerrors          0\nnotices         0\nwarnings        0',
      ),
      bash(
        'npx web-ext build --overwrite-dest',
        'Pack it',
        'Building web extension from /home/ines/tab-lantern\nYour web extension is ready: /home/ines/tab-lantern/web-ext-artifacts/tab_lantern-0.4.1.zip',
      ),
      stop(
        'They mean `innerHTML` in `popup.js`: a page could put HTML into its URL and it would run in your popup. The list is built with `textContent` now and `web-ext lint` has no warnings. Raise the version to 0.4.2 before you upload the zip, Mozilla refuses the same number twice.',
      ),
      prompt('Thank you very much, kisses from Lisbon'),
      stop('Glad it helped. Greetings to Lisbon!'),
      end(),
    ],
  ],
  truths: {
    decisions: [
      {
        what: 'CSV by Blob and link, no downloads permission',
        mustMention: ['blob|link', 'downloads|permission'],
      },
    ],
    fixes: [
      {
        what: 'badge stopped: chrome.alarms and storage instead of setInterval',
        mustMention: ['alarms', 'worker|setInterval|badge|timer|stop'],
        types: ['bugfix', 'change'],
      },
      {
        what: 'store rejection: innerHTML replaced by textContent',
        mustMention: ['innerHTML', 'textContent|popup.js'],
      },
    ],
    deadEnds: [{ what: 'keeping the worker alive by API calls', mustMention: ['keep-alive|getPlatformInfo|keep the worker'] }],
    nextSteps: [
      { what: 'CSV export in Firefox', mustMention: ['firefox|popup closes|export'], after: [1, 3] },
      { what: 'raise the version before the upload', mustMention: ['0.4.2|version'], after: [2, 1] },
    ],
    others: [{ what: 'CSV export button', mustMention: ['csv'], types: ['feature', 'change'] }],
    acceptable: [
      {
        what: 'Chrome stops idle workers',
        mustMention: ['worker', 'idle|30 seconds|stop|lifecycle'],
        types: ['discovery', 'bugfix', 'change'],
      },
      { what: 'lifecycle page read', mustMention: ['lifecycle|service-workers'], types: ['discovery'] },
      { what: 'counts keyed by URL in storage', mustMention: ['storage'] },
      { what: 'alarms permission', mustMention: ['alarms'] },
      { what: 'the user is to try it by hand', mustMention: ['reload|try|badge|click|ten minutes'], types: [] },
      { what: 'Firefox is for another day', mustMention: ['firefox'] },
      { what: 'no tests, tried by hand', mustMention: ['by hand'], types: ['decision', 'discovery'] },
      { what: 'the packed extension', mustMention: ['web-ext|zip'], types: ['change', 'discovery'] },
      { what: 'the keep-alive when it was new', mustMention: ['keep-alive|getPlatformInfo|idle timer'] },
    ],
  },
});
