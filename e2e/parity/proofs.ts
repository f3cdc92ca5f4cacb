import { proofsIn } from './item.ts'

/** The files that most items are proven in. */
export const runCalls = proofsIn('e2e/parity/calls/runs-and-sharing.test.ts')
export const projectCalls = proofsIn('e2e/parity/calls/projects.test.ts')
export const datasetCalls = proofsIn('e2e/parity/calls/datasets.test.ts')
export const exampleCalls = proofsIn('e2e/parity/calls/examples.test.ts')
export const feedbackCalls = proofsIn('e2e/parity/calls/feedback.test.ts')
export const queueCalls = proofsIn('e2e/parity/calls/annotation-queues.test.ts')
export const promptCalls = proofsIn('e2e/parity/calls/prompts.test.ts')
export const entities = proofsIn('e2e/parity/entities.test.ts')
export const idOrName = proofsIn('e2e/parity/errors/id-or-name.test.ts')
export const validation = proofsIn('e2e/parity/errors/validation.test.ts')
export const sharing = proofsIn('e2e/parity/errors/sharing.test.ts')
export const promptErrors = proofsIn('e2e/parity/errors/prompts.test.ts')
export const retries = proofsIn('e2e/parity/errors/retries.test.ts')
/** Every client against one server: the two published ones and ours. */
export const everyClient = proofsIn('e2e/clients/javascript/datasets.test.ts')
export const ourDatasets = proofsIn('e2e/clients/javascript/our-datasets.test.ts')
export const everyClientsPrompts = proofsIn('e2e/clients/javascript/prompts.test.ts')
export const everyClientsQueues = proofsIn('e2e/clients/javascript/annotation-queues.test.ts')
export const pythonPrompts = proofsIn('e2e/clients/python/prompts.test.ts')
export const langchainHub = proofsIn('e2e/clients/javascript/langchain-hub.test.ts')
