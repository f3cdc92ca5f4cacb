export {
  type Conversation,
  FORMATS,
  type Format,
  findRemainder,
  type Remainder,
  readConversation,
  toMessageKey,
} from './conversation/index.ts'
export type {
  Citation,
  Media,
  Message,
  OfferedTool,
  Part,
  TextPart,
  ToolCall,
  ToolResult,
} from './model.ts'
export { readMessage, readMessageOrItem, readMessages } from './read/read-message.ts'
export { readParts } from './read/read-parts.ts'
export { readOfferedTools, readToolCall } from './read/tools.ts'
export { isKnownRole, isLangChainType, toRole } from './roles.ts'
export { type WriteOptions, writeOpenaiChat } from './write/openai-chat.ts'
