/** A manifest of one template, in the form of LangChain. */
export function aManifest(template = 'Tell a joke about {topic}'): Record<string, unknown> {
  return {
    lc: 1,
    type: 'constructor',
    id: ['langchain', 'prompts', 'prompt', 'PromptTemplate'],
    kwargs: { template, input_variables: ['topic'], template_format: 'f-string' },
  }
}

/** The same in a chain with a model. */
export function aChain(id: readonly string[] = ['langchain', 'schema', 'runnable', 'RunnableSequence']) {
  const model = {
    lc: 1,
    type: 'constructor',
    id: ['langchain', 'chat_models', 'openai', 'ChatOpenAI'],
    kwargs: { model: 'gpt-4o', openai_api_key: { lc: 1, type: 'secret', id: ['OPENAI_API_KEY'] } },
  }
  const binding = {
    lc: 1,
    type: 'constructor',
    id: ['langchain', 'schema', 'runnable', 'RunnableBinding'],
    kwargs: { bound: model, kwargs: {} },
  }
  return { lc: 1, type: 'constructor', id, kwargs: { first: aManifest(), last: binding } }
}
