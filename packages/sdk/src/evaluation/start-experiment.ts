import type { Client } from '../client.ts'
import { ConflictError } from '../errors.ts'
import { isUuid, uuid7 } from '../ids/uuid.ts'
import type { CreateProjectParams } from '../resources/projects.ts'
import type { TracerSession } from '../schemas.ts'

const ADJECTIVES = (
  'able amber bold brave brief bright calm clear clever cold crisp daring deep eager early fair fine fleet fond fresh ' +
  'gentle glad golden grand green happy hardy honest humble keen kind large late light lively long loyal lucky mellow ' +
  'merry mild modest neat noble patient plain polite proud quick quiet rapid ready rosy round sharp shy silent simple ' +
  'sleek smart smooth soft solid spry steady still stout strong sunny sure swift tall tidy true vivid warm wide wise young'
).split(' ')

const NOUNS = (
  'acorn anchor apple arch badge barley basin beacon bell birch bridge brook cairn canal candle canyon cedar cherry ' +
  'cliff cloud clover comet coral cove crane creek dawn delta dune eagle ember falcon fern field finch fjord flint ' +
  'garden gate glade grove harbour hazel heath heron hill island ivory jasper lake lantern larch ledge lily linden ' +
  'lodge lynx maple marsh meadow mill mint moon moss oak orchard otter owl path pebble pine plum pond quarry quartz ' +
  'raven reef ridge river robin sage scale shore spruce star stone stream summit swan thicket tide touch tower vale ' +
  'valley violet wave weir willow wren'
).split(' ')

/** Returns `adjective-noun-NN`. */
export function randomName(): string {
  const pick = (words: readonly string[]) => words[Math.floor(Math.random() * words.length)]
  return `${pick(ADJECTIVES)}-${pick(NOUNS)}-${10 + Math.floor(Math.random() * 90)}`
}

/** Returns random hex digits, at most 12. */
export function randomHex(digits: number): string {
  return uuid7().slice(-digits)
}

const MAX_ATTEMPTS = 10

/**
 * Creates an experiment. Adds a random suffix when the name is taken.
 *
 * @throws Error after ten attempts
 */
export async function startExperiment(client: Client, params: CreateProjectParams): Promise<TracerSession> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const projectName = attempt === 0 ? params.projectName : `${params.projectName}-${randomHex(6)}`
    try {
      return await client.createProject({ ...params, projectName })
    } catch (error) {
      if (!(error instanceof ConflictError)) throw error
    }
  }
  throw new Error(
    'Could not generate a unique experiment name within 10 attempts. Please try again with a different name.',
  )
}

/** @param experiment the experiment, its name or its id. @throws NotFoundError */
export async function readExperiment(client: Client, experiment: TracerSession | string): Promise<TracerSession> {
  if (typeof experiment !== 'string') return experiment
  return await client.readProject(isUuid(experiment) ? { projectId: experiment } : { projectName: experiment })
}

/** Link to the comparison page; `undefined` when it cannot be built. */
export async function findComparisonUrl(
  client: Client,
  datasetId: string,
  experimentIds: readonly string[],
  comparativeExperimentId?: string,
): Promise<string | undefined> {
  try {
    return await client.getComparisonUrl({ datasetId, experimentIds: [...experimentIds], comparativeExperimentId })
  } catch {
    // A missing link must not fail the experiment.
    return undefined
  }
}
