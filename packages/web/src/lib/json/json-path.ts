/** Steps from the top of a document to a value: keys and positions. */
export type JsonPath = readonly (string | number)[]

const PLAIN = /^[A-Za-z_$][\w$]*$/

/** `outputs.choices[0]["odd key"]`, as it stands in the address bar. */
export function printPath(path: JsonPath): string {
  return path
    .map((step, i) =>
      typeof step === 'number'
        ? `[${step}]`
        : PLAIN.test(step)
          ? `${i > 0 ? '.' : ''}${step}`
          : `[${JSON.stringify(step)}]`,
    )
    .join('')
}

/** `$.outputs.choices[0]`, for JSONPath tools. */
export function printJsonPath(path: JsonPath): string {
  const text = printPath(path)
  return text === '' || text.startsWith('[') ? `$${text}` : `$.${text}`
}

/** `["outputs"]["choices"][0]`, to paste behind a variable in Python. */
export function printPythonPath(path: JsonPath): string {
  return path.map((step) => `[${JSON.stringify(step)}]`).join('')
}

/** Reads what `printPath` wrote; undefined when the text is no path. */
export function parsePath(text: string): JsonPath | undefined {
  const steps: (string | number)[] = []
  const token = /\.?([A-Za-z_$][\w$]*)|\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]/y
  while (token.lastIndex < text.length) {
    const match = token.exec(text)
    if (!match) return undefined
    const [, name, index, quoted] = match
    if (name !== undefined) steps.push(name)
    else if (index !== undefined) steps.push(Number(index))
    else {
      try {
        steps.push(JSON.parse(quoted!) as string)
      } catch {
        return undefined
      }
    }
  }
  return steps
}
