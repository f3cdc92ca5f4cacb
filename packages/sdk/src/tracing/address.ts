/** Where an agent runs. */
export type Environment = 'local' | 'development' | 'staging' | 'production'

const ENVIRONMENT = /^(local|development|staging|production)$/i
const AGENT_ID = /^[a-z]([a-z0-9-]{0,61}[a-z0-9])?$/
const WIRE = /^lrn:agents\/([^/]+)\/environments\/([^/]+)$/
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** One environment of an agent, whose project receives traces. A plain object of the same shape is as good. */
export class AgentAddress {
  readonly kind = 'AGENT'
  readonly id: string
  readonly environment: Uppercase<Environment>

  /**
   * @param id  1 to 63 lower-case letters, digits and hyphens; begins with a letter, does not end with a hyphen
   * @param environment  in any case
   * @throws for anything else
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

/** The project of one experiment. It can be resolved, but receives no traces. */
export class ExperimentAddress {
  readonly kind = 'EXPERIMENT'
  readonly id: string

  /** @throws when the id is no UUID */
  constructor(id: string) {
    if (!UUID.test(id)) throw new Error(`Experiment id must be a UUID: ${id}`)
    this.id = id.toLowerCase()
  }
}

/** The workspace's project of evaluator runs. It can be resolved, but receives no traces. */
export class EvaluatorAddress {
  readonly kind = 'EVALUATOR'
}

export type Address = AgentAddress | ExperimentAddress | EvaluatorAddress

/** The address, checked, with its parts in the spelling of the API. @throws for anything that is no address */
export function toAddress(value: Address): Address {
  const { kind, id, environment } = (value ?? {}) as { kind?: unknown; id?: unknown; environment?: unknown }
  if (kind === 'AGENT') return new AgentAddress(id as string, environment as string)
  if (kind === 'EXPERIMENT') return new ExperimentAddress(id as string)
  if (kind === 'EVALUATOR') return new EvaluatorAddress()
  throw new Error('An address is an AgentAddress, ExperimentAddress or EvaluatorAddress.')
}

/** The same for what has to receive traces. @throws for an address that cannot */
export function toAgentAddress(value: AgentAddress | null | undefined): AgentAddress | undefined {
  if (value == null) return undefined
  if (value.kind !== 'AGENT') throw new Error('Only an AgentAddress can receive traces.')
  return new AgentAddress(value.id, value.environment)
}

/** The address as runs and feedback carry it: `lrn:agents/customer-support/environments/production`. */
export function writeAddress({ id, environment }: AgentAddress): string {
  return `lrn:agents/${id}/environments/${environment.toLowerCase()}`
}

/** @returns undefined for a text that is no address of an agent */
export function readAddress(text: string): AgentAddress | undefined {
  const [, id = '', environment = ''] = WIRE.exec(text) ?? []
  return AGENT_ID.test(id) && ENVIRONMENT.test(environment) ? new AgentAddress(id, environment) : undefined
}
