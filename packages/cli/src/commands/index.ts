import type { Command } from '../command.ts'

/** Every command by its words, loaded when it is called. The order is that of the help. */
export const COMMANDS: Readonly<Record<string, () => Promise<{ readonly default: Command }>>> = {
  status: () => import('./status.ts'),
  'projects list': () => import('./projects/list.ts'),
  'projects delete': () => import('./projects/delete.ts'),
  'runs list': () => import('./runs/list.ts'),
  'runs show': () => import('./runs/show.ts'),
  'keys list': () => import('./keys/list.ts'),
  'keys create': () => import('./keys/create.ts'),
  'keys revoke': () => import('./keys/revoke.ts'),
}
