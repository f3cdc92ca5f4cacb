import { env, projectFromEnv } from '../config/env.ts'
import { reportProblem } from '../logger.ts'
import type { BaseRun, RunUpdate } from '../schemas.ts'
import { AgentAddress, formatAddress, toAgentAddress } from './address.ts'

/** Destination of a run: a project by name, or the project of an agent's environment. */
export interface RunDestination {
  project_name?: string | undefined
  address?: AgentAddress | undefined
}

/** The environment variables contain an incomplete or invalid address, or both an address and a project. */
export class EnvAddressError extends Error {
  override name = 'EnvAddressError'
}

/**
 * Returns the first level that names a destination; later levels are ignored.
 *
 * @throws Error when one level names both a project and an address, or an address that cannot receive traces
 */
export function findFirstDestination(...levels: (RunDestination | undefined)[]): RunDestination | undefined {
  for (const level of levels) {
    const project_name = level?.project_name || undefined
    const address = toAgentAddress(level?.address)
    if (project_name && address) throw new Error(`Name a project (${project_name}) or an address, not both`)
    if (project_name || address) return { project_name, address }
  }
  return undefined
}

/**
 * Returns the destination from the environment: an agent, or else a project, or else `default`.
 *
 * @throws EnvAddressError
 */
export function readEnvDestination(): RunDestination {
  const project = projectFromEnv()
  const address = readEnvAddress()
  if (project && address) throw new EnvAddressError('LANGSMITH_AGENT_ID and a project are both set')
  return address ? { address } : { project_name: project ?? 'default' }
}

function readEnvAddress(): AgentAddress | undefined {
  const id = env('AGENT_ID', AGENT_PREFIXES)
  const environment = env('AGENT_ENVIRONMENT', AGENT_PREFIXES)
  if (!id && !environment) return undefined
  if (!id || !environment) {
    throw new EnvAddressError(`LANGSMITH_AGENT_${id ? 'ENVIRONMENT' : 'ID'} is missing`)
  }
  try {
    return new AgentAddress(id, environment)
  } catch (error) {
    throw new EnvAddressError((error as Error).message)
  }
}

const AGENT_PREFIXES = ['TOUCHSTONE_', 'LANGSMITH_']
let hasWarned = false

/**
 * Like `destinationFromEnv`, but returns undefined when the environment contradicts itself: a run without a destination
 * in code is then not traced. Warns once per process.
 *
 * @param isQuiet  for a run that would not be traced anyway
 */
export function findEnvDestination(client: object | undefined, isQuiet = false): RunDestination | undefined {
  try {
    return readEnvDestination()
  } catch (error) {
    if (!isQuiet && !hasWarned) {
      hasWarned = true
      reportProblem(client, `Runs that name no project or agent in code are not traced: ${(error as Error).message}`)
    }
    return undefined
  }
}

/** A run as sent: the address is a text. */
export type WireRun = BaseRun & { address?: string | undefined }

/**
 * Adds the destination to a run. An update without a destination inherits it from its create.
 *
 * @returns undefined when only the environment could name the destination, and it contradicts itself
 * @throws Error as `findFirstDestination`
 */
export function toWireRun(run: RunUpdate, isUpdate: boolean, client: object): WireRun | undefined {
  const { project_name, session_name = project_name, address: given, ...rest } = run
  const named = findFirstDestination({ project_name: session_name || rest.session_id, address: given })
  const destination = named ?? (isUpdate ? {} : findEnvDestination(client))
  if (!destination) return undefined
  const address = destination.address && formatAddress(destination.address)
  return { ...rest, session_name: named ? session_name || undefined : destination.project_name, address }
}
