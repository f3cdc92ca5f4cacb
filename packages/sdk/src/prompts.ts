export { type FormattedPrompt, formatPrompt, type PromptVariables } from './prompts/format/format-prompt.ts'
export type { PromptMessage, PromptPart, PromptToolCall } from './prompts/format/messages.ts'
export { type AnthropicPrompt, toAnthropic } from './prompts/format/to-anthropic.ts'
export { type OpenAIPrompt, toOpenAI } from './prompts/format/to-openai.ts'
