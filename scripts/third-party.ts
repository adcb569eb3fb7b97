// The licences of the packages that are bundled into dist/: their terms ask that the text goes wherever the code goes.
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const PACKAGE_FOLDER = /^.*[\\/]?node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/;

/** One text for all packages among the bundled files; empty when there is none. Throws when a package comes without its licence. */
export function collectLicences(bundledFiles: string[]): string {
  const folders = new Set(bundledFiles.flatMap((file) => resolve(file).match(PACKAGE_FOLDER) ?? []));
  return [...folders].sort().map(describePackage).join('\n');
}

function describePackage(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const file = readdirSync(folder).find((entry) => /^licen[cs]e(\.(md|txt))?$/i.test(entry));
  if (file === undefined) {
    throw new Error(`${name} is bundled but ${folder} holds no licence text, so it must not be shipped`);
  }
  return `== ${name} ${version} (${license})\n\n${readFileSync(join(folder, file), 'utf8').trim()}\n`;
}
