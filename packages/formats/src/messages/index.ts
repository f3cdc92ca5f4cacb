export {
  type Conversation,
  FORMATS,
  type Format,
  findRemainder,
  type Remainder,
  readConversation,
  toMessageKey,
} from './conversation/index.ts'
export {
  type MediaReference,
  mayReferToMedia,
  nameMedia,
  readMediaReference,
  splitAtReferences,
} from './media-reference.ts'
export type {
  Citation,
  Media,
  Message,
  OfferedTool,
  Part,
  ReasoningPart,
  Signer,
  ToolCall,
  ToolResult,
} from './model.ts'
export { joinGeminiCalls } from './read/gemini-calls.ts'
export { readMessage, readMessageOrItem, readMessages } from './read/read-message.ts'
export { readParts } from './read/read-parts.ts'
export { readToolCall } from './read/tools.ts'
export { isKnownRole, isLangChainType, toRole } from './roles.ts'
export { writeAnthropic } from './write/anthropic.ts'
export { writeGemini } from './write/gemini.ts'
export { writeOpenaiChat } from './write/openai-chat.ts'
export { writeOpenaiResponses } from './write/openai-responses.ts'
