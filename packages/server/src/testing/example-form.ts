/** Parts of an example in a multipart body; payloads are JSON text, or values to be printed. */
export interface ExampleInForm {
  readonly id: string
  /** The part whose name is the id alone. @default {} */
  readonly main?: unknown
  readonly inputs?: unknown
  readonly outputs?: unknown
  readonly operations?: unknown
  /** Name → media type and content. */
  readonly attachments?: Readonly<Record<string, readonly [type: string, content: string | Uint8Array<ArrayBuffer>]>>
}

/** A body in the form of the clients: every part is a blob with a file name. */
export function exampleForm(examples: readonly ExampleInForm[]): FormData {
  const form = new FormData()
  const add = (name: string, value: unknown) => {
    if (value === undefined) return
    const text = typeof value === 'string' ? value : JSON.stringify(value)
    form.append(name, new Blob([text], { type: 'application/json' }), 'blob')
  }
  for (const { id, main = {}, inputs, outputs, operations, attachments = {} } of examples) {
    add(id, main)
    add(`${id}.inputs`, inputs)
    add(`${id}.outputs`, outputs)
    add(`${id}.attachments_operations`, operations)
    for (const [name, [type, content]] of Object.entries(attachments)) {
      const blob = new Blob([content])
      form.append(`${id}.attachment.${name}`, new Blob([blob], { type: `${type}; length=${blob.size}` }), 'blob')
    }
  }
  return form
}
