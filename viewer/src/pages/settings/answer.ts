// A setting, as the worker tells of it.

export type Allowed = {
  /** As in a JSON schema. */
  type: string;
  /** Of these, where not everything is allowed. */
  values: string[] | null;
  min: number | null;
  max: number | null;
  words: string;
};

export type Setting = {
  name: string;
  about: string;
  value: unknown;
  default: unknown;
  isDefault: boolean;
  variable: string;
  isFromVariable: boolean;
  isSafe: boolean;
  whyNot: string | null;
  /** Less of it deletes memories for good. */
  isDeleting: boolean;
  isPerProject: boolean;
  allowed: Allowed;
};

export type SettingsAnswer = { settings: Setting[]; projects: Record<string, Record<string, unknown>> };

export const isNumber = ({ allowed: { type } }: Setting) => type === 'number' || type === 'integer';
/** None, or less than before: 0 is no limit. */
export const deletes = ({ isDeleting, value }: Setting, next: unknown) =>
  isDeleting && Number(next) > 0 && (Number(value) === 0 || Number(next) < Number(value));
export const canChange = ({ isSafe, isFromVariable }: Setting) => isSafe && !isFromVariable;
