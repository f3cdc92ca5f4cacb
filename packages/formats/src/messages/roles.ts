/** The role of a message by the names of all formats. A map, because roles come from traced content. */
const ROLES: ReadonlyMap<string, string> = new Map([
  ...['system', 'SystemMessage', 'SystemMessageChunk', 'SYSTEM'].map((name) => [name, 'system'] as const),
  ['developer', 'developer'],
  ...['user', 'human', 'HumanMessage', 'HumanMessageChunk', 'USER'].map((name) => [name, 'user'] as const),
  ...['assistant', 'ai', 'model', 'AIMessage', 'AIMessageChunk', 'CHATBOT'].map((name) => [name, 'assistant'] as const),
  ...['tool', 'function', 'ToolMessage', 'ToolMessageChunk', 'FunctionMessage', 'FunctionMessageChunk', 'TOOL'].map(
    (name) => [name, 'tool'] as const,
  ),
])

/** `system`, `developer`, `user`, `assistant` or `tool`; a role that no format has stays as it is. */
export function toRole(name: string): string {
  return ROLES.get(name) ?? name
}

/** Whether a format has a role of this name. */
export function isKnownRole(name: string): boolean {
  return ROLES.has(name)
}

/** Values of `type` that make an object with `content` or `data` a message of LangChain. */
const LANGCHAIN_TYPES: ReadonlySet<string> = new Set([
  ...['human', 'ai', 'system', 'tool', 'function', 'developer', 'chat'],
  ...['user', 'assistant'],
  ...[...ROLES.keys()].filter((name) => /Message(Chunk)?$/.test(name)),
])

export function isLangChainType(type: unknown): type is string {
  return typeof type === 'string' && LANGCHAIN_TYPES.has(type)
}
