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
  isPerProject: boolean;
  allowed: Allowed;
};

export type SettingsAnswer = { settings: Setting[]; projects: Record<string, Record<string, unknown>> };

export const isNumber = ({ allowed: { type } }: Setting) => type === 'number' || type === 'integer';
export const canChange = ({ isSafe, isFromVariable }: Setting) => isSafe && !isFromVariable;
