/** Deployment environment of an agent. */
export type Environment = 'local' | 'development' | 'staging' | 'production'

const ENVIRONMENT = /^(local|development|staging|production)$/i
const AGENT_ID = /^[a-z]([a-z0-9-]{0,61}[a-z0-9])?$/
const WIRE = /^lrn:agents\/([^/]+)\/environments\/([^/]+)$/
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/**
 * Address of one environment of an agent. Its project receives traces. A plain object of the same shape works as well.
 */
export class AgentAddress {
  readonly kind = 'AGENT'
  readonly id: string
  readonly environment: Uppercase<Environment>

  /**
   * @param id  1 to 63 lower-case letters, digits and hyphens; starts with a letter, does not end with a hyphen
   * @param environment  case-insensitive
   * @throws Error for any other value
   */
  constructor(id: string, environment: Environment | (string & {})) {
    if (typeof id !== 'string' || !AGENT_ID.test(id)) {
      throw new Error(`Agent id must be 1 to 63 of a-z, 0-9 and -, first a letter, last no hyphen: ${id}`)
    }
    if (!ENVIRONMENT.test(environment)) {
      throw new Error(`Agent environment must be local, development, staging or production: ${environment}`)
    }
    this.id = id
    this.environment = environment.toUpperCase() as Uppercase<Environment>
  }
}

/** Address of an experiment's project. It can be resolved, but receives no traces. */
export class ExperimentAddress {
  readonly kind = 'EXPERIMENT'
  readonly id: string

  /** @throws Error when the id is not a UUID */
  constructor(id: string) {
    if (!UUID.test(id)) throw new Error(`Experiment id must be a UUID: ${id}`)
    this.id = id.toLowerCase()
  }
}

/** Address of the workspace's project for evaluator runs. It can be resolved, but receives no traces. */
export class EvaluatorAddress {
  readonly kind = 'EVALUATOR'
}

export type Address = AgentAddress | ExperimentAddress | EvaluatorAddress

/** Validates an address and normalizes its parts to the spelling of the API. @throws Error for an invalid address */
export function toAddress(value: Address): Address {
  const { kind, id, environment } = (value ?? {}) as { kind?: unknown; id?: unknown; environment?: unknown }
  if (kind === 'AGENT') return new AgentAddress(id as string, environment as string)
  if (kind === 'EXPERIMENT') return new ExperimentAddress(id as string)
  if (kind === 'EVALUATOR') return new EvaluatorAddress()
  throw new Error('An address is an AgentAddress, ExperimentAddress or EvaluatorAddress.')
}

/** Validates an address that must receive traces. @throws Error for an address that cannot */
export function toAgentAddress(value: AgentAddress | null | undefined): AgentAddress | undefined {
  if (value == null) return undefined
  if (value.kind !== 'AGENT') throw new Error('Only an AgentAddress can receive traces.')
  return new AgentAddress(value.id, value.environment)
}

/** Formats the address as in runs and feedback: `lrn:agents/customer-support/environments/production`. */
export function formatAddress({ id, environment }: AgentAddress): string {
  return `lrn:agents/${id}/environments/${environment.toLowerCase()}`
}

/** @returns undefined for a text that is not an agent address */
export function parseAddress(text: string): AgentAddress | undefined {
  const [, id = '', environment = ''] = WIRE.exec(text) ?? []
  return AGENT_ID.test(id) && ENVIRONMENT.test(environment) ? new AgentAddress(id, environment) : undefined
}
