import { z } from 'zod'
import { Uuid } from './ids.ts'
import { Role } from './roles.ts'
import { describeRoutes } from './route.ts'
import * as routes from './routes.ts'

/** A stage that prompts go through, e.g. `production`: a commit tag, and who may make, move or remove it. */
export const PromptEnvironment = z.object({
  /** Name of the tag. */
  name: z.string().regex(/^[A-Za-z0-9._-]{1,200}$/, 'has 1 to 200 letters, digits, "-", "_" and "."'),
  /** The least role that may move the tag; whoever may not write may not move any. Ours. */
  least_role: Role.exclude(['viewer']).default('admin'),
})
export type PromptEnvironment = z.output<typeof PromptEnvironment>

export const PromptEnvironments = z.object({
  /** That of the workspace, which has one list. */
  id: z.string(),
  environments: z.array(PromptEnvironment),
  /** Ours: null while nobody has changed the list that every workspace begins with. */
  updated_at: z.string().nullable(),
  updated_by_name: z.string().nullable(),
})
export type PromptEnvironments = z.infer<typeof PromptEnvironments>

export const PromptEnvironmentsWrite = z.object({
  environments: z
    .array(PromptEnvironment)
    .min(1, 'has at least one environment')
    .max(4, 'has at most four environments')
    .refine((all) => new Set(all.map(({ name }) => name)).size === all.length, 'names an environment twice'),
})

const tag = 'prompt environments'
const path = z.object({ id: Uuid })

export const promptEnvironmentRoutes = describeRoutes(routes.promptEnvironments, tag, {
  read: {
    summary: 'Environments of the workspace: `production`, which admins move, until they are set',
    answer: PromptEnvironments,
  },
  create: {
    summary: 'Set the environments; 409 where they are set already',
    body: PromptEnvironmentsWrite,
    answer: PromptEnvironments,
  },
  update: {
    summary: 'Put other environments in the place of those there are',
    params: path,
    body: PromptEnvironmentsWrite,
    answer: PromptEnvironments,
  },
  delete: {
    summary: 'Go back to the environments that every workspace begins with',
    params: path,
    answer: PromptEnvironments,
  },
})
