export { type WrappedOpenAI, wrapOpenAI } from './wrappers/openai.ts'
export { wrapSDK } from './wrappers/sdk.ts'
export type { LangSmithExtra } from './wrappers/wrap-members.ts'
