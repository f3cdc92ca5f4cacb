import { z } from 'zod'
import { Role } from '../accounts/roles.ts'
import * as routes from '../routes.ts'
import { Uuid } from '../wire/ids.ts'
import { describeRoutes } from '../wire/route.ts'

/** A stage of deployment, e.g. `production`: a commit tag, and the role that may create, move or remove it. */
export const PromptEnvironment = z.object({
  /** Name of the tag. */
  name: z.string().regex(/^[A-Za-z0-9._-]{1,200}$/, 'has 1 to 200 letters, digits, "-", "_" and "."'),
  /** The lowest role that may move the tag. Viewers may not move any tag. An extension of ours. */
  least_role: Role.exclude(['viewer']).default('admin'),
})
export type PromptEnvironment = z.output<typeof PromptEnvironment>

export const PromptEnvironments = z.object({
  /** Id of the workspace, which has one list. */
  id: z.string(),
  environments: z.array(PromptEnvironment),
  /** An extension of ours: null while the workspace has its initial list. */
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

export const PromptEnvironmentsUpdate = PromptEnvironmentsWrite.extend({
  /** What the change is based on: 409 when the list is another one by now. An extension of ours. */
  expected: z
    .object({ environments: z.array(PromptEnvironment) })
    .partial()
    .nullish(),
})
export type PromptEnvironmentsUpdate = z.output<typeof PromptEnvironmentsUpdate>

const tag = 'prompt environments'
const path = z.object({ id: Uuid })

export const promptEnvironmentRoutes = describeRoutes(routes.promptEnvironments, tag, {
  read: {
    summary: 'Environments of the workspace: `production`, which admins move, until they are set',
    answer: PromptEnvironments,
  },
  create: {
    summary: 'Set the environments; 409 when they are already set',
    body: PromptEnvironmentsWrite,
    answer: PromptEnvironments,
  },
  update: {
    summary: 'Replace the environments',
    params: path,
    body: PromptEnvironmentsUpdate,
    answer: PromptEnvironments,
  },
  delete: {
    summary: 'Reset to the initial environments of a workspace',
    params: path,
    answer: PromptEnvironments,
  },
})
