export type * from './client.ts'
export { Client } from './client.ts'
export { getDefaultProjectName } from './config/env.ts'
export * from './errors.ts'
export { uuid7, uuid7FromTime } from './ids/uuid.ts'
export type { Logger } from './logger.ts'
export {
  Cache,
  configureGlobalPromptCache,
  PromptCache,
  promptCacheSingleton,
} from './prompts/prompt-cache.ts'
export { PublicClient, type PublicClientConfig } from './public-client.ts'
export { PublicDatasetClient } from './public-dataset-client.ts'
export type * from './run-trees.ts'
export { RunTree } from './run-trees.ts'
export type * from './schemas.ts'
export type { Address, Environment } from './tracing/address.ts'
export { AgentAddress, EvaluatorAddress, ExperimentAddress } from './tracing/address.ts'
export { isTracingEnabled } from './tracing/context.ts'
export { EnvAddressError } from './tracing/destination.ts'
export { overrideFetchImplementation } from './transport/fetch.ts'
export type { RawRequest } from './transport/request.ts'
export { version as __version__ } from './version.ts'

/** Metadata key: keeps a run out of the message view. */
export const LS_MESSAGE_VIEW_EXCLUDE = 'ls_message_view_exclude'
