import type { Command } from '../command.ts'

/** Every command by its words, loaded when it is called. The order is that of the help. */
export const COMMANDS: Readonly<Record<string, () => Promise<{ readonly default: Command }>>> = {
  status: () => import('./status.ts'),
  'projects list': () => import('./projects/list.ts'),
  'projects delete': () => import('./projects/delete.ts'),
  'runs list': () => import('./runs/list.ts'),
  'runs show': () => import('./runs/show.ts'),
  'datasets list': () => import('./datasets/list.ts'),
  'datasets create': () => import('./datasets/create.ts'),
  'datasets upload': () => import('./datasets/upload.ts'),
  'datasets export': () => import('./datasets/export.ts'),
  'datasets delete': () => import('./datasets/delete.ts'),
  'datasets versions': () => import('./datasets/versions.ts'),
  'datasets diff': () => import('./datasets/diff.ts'),
  'datasets tag': () => import('./datasets/tag.ts'),
  'datasets share': () => import('./datasets/share.ts'),
  'experiments list': () => import('./experiments/list.ts'),
  'experiments compare': () => import('./experiments/compare.ts'),
  'prompts list': () => import('./prompts/list.ts'),
  'prompts pull': () => import('./prompts/pull.ts'),
  'prompts push': () => import('./prompts/push.ts'),
  'workspaces list': () => import('./workspaces/list.ts'),
  'workspaces create': () => import('./workspaces/create.ts'),
  'keys list': () => import('./keys/list.ts'),
  'keys create': () => import('./keys/create.ts'),
  'keys revoke': () => import('./keys/revoke.ts'),
}
