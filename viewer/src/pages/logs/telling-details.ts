// The details of an entry that tell something: what is empty, or says the message again, is left out.

type Told = { message: string; details: Record<string, unknown> | null };

export function tellingDetails({ message, details }: Told): [string, unknown][] {
  return Object.entries(details ?? {}).filter(([name, value]) => !isEmpty(value) && !(name === 'kind' && value === message));
}

const isEmpty = (value: unknown) => typeof value === 'object' && value !== null && Object.keys(value).length === 0;
