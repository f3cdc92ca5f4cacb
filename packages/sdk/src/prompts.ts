export { type FormattedPrompt, formatPrompt, type PromptVariables } from './prompts/format/format-prompt.ts'
export type { PromptMessage, PromptPart, PromptToolCall } from './prompts/format/messages.ts'
export { type AnthropicPrompt, type OpenAIPrompt, toAnthropic, toOpenAI } from './prompts/format/to-provider.ts'
