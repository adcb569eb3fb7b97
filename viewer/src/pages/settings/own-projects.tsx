// What differs in one project: read here, changed in a terminal.
import { sayValue } from './say-value.ts';

export function OwnProjects({ projects }: { projects: Record<string, Record<string, unknown>> }) {
  const all = Object.entries(projects);
  if (all.length === 0) return null;
  return (
    <section>
      <h2>In one project</h2>
      <p class="lead small">
        What differs there. In a terminal: <code>claude-mem config set NAME … --project</code>
      </p>
      <ul class="settings-list plain">
        {all.map(([project, own]) => (
          <li key={project} class="setting">
            <h3 class="setting-words">{project}</h3>
            <dl class="setting-control small">
              {Object.entries(own).map(([name, value]) => (
                <div key={name} class="row">
                  <dt>
                    <code>{name}</code>
                  </dt>
                  <dd>{sayValue(value)}</dd>
                </div>
              ))}
            </dl>
          </li>
        ))}
      </ul>
    </section>
  );
}
