export { type CallOptions, callModel, type ModelConnection, type ModelEvent } from './call-model.ts'
export { type ListedModels, listProviderModels } from './list-models.ts'
