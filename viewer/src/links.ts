// Addresses of pages about one thing.

export const memoryPage = (id: string) => `/view/memory/${encodeURIComponent(id)}`;
export const timelineOf = (id: string) => `/view/timeline?anchor=${encodeURIComponent(id)}`;
export const sessionPage = (session: string) => `/view/session/${encodeURIComponent(session)}`;
export const filePage = (path: string) => `/view/files?path=${encodeURIComponent(path)}`;
