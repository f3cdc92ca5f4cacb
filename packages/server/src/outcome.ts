/** The result of one item that can fail alone; `problem` is a message for the client. */
export type Outcome<T> = { readonly ok: T } | { readonly problem: string }

/** The items of a block that could not be stored, each with a message for the client. Empty when all were stored. */
export type Problems<Item> = ReadonlyMap<Item, string>
