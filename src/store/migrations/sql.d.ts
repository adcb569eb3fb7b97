// A file of SQL, imported as text.
declare module '*.sql' {
  const text: string;
  export = text;
}
