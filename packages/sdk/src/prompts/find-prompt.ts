import * as routes from '@touchstone/contract/routes'
import type { CallOptions } from '../config/client-config.ts'
import { NotFoundError } from '../errors.ts'
import type { Prompt } from '../schemas.ts'
import type { Transport } from '../transport/transport.ts'
import { type PromptIdentifier, toRepoParams } from './identifier.ts'

/** Returns the prompt, agent or skill; null when there is none that the caller may read. */
export async function findPrompt(
  transport: Transport,
  identifier: PromptIdentifier,
  options: CallOptions,
  doing = 'get prompt',
): Promise<Prompt | null> {
  try {
    const request = { params: toRepoParams(identifier), doing, ...options }
    const answer = await transport.call(routes.prompts.read, request)
    return answer?.repo ?? null
  } catch (error) {
    if (error instanceof NotFoundError) return null
    throw error
  }
}

/** @throws Error `Prompt does not exist, you must create it first.` */
export async function assertExists(
  transport: Transport,
  identifier: PromptIdentifier,
  options: CallOptions,
): Promise<void> {
  if (await findPrompt(transport, identifier, options)) return
  throw new Error('Prompt does not exist, you must create it first.')
}
