/** How many items of arrays a task goes through, copies included. */
export async function countIterated(task: () => unknown): Promise<number> {
  const { [Symbol.iterator]: values, concat, slice, sort, toSorted } = Array.prototype
  let count = 0
  const counted = <Method extends (this: unknown[], ...args: never[]) => unknown>(method: Method): Method =>
    function (this: unknown[], ...args: never[]) {
      count += this.length
      return method.apply(this, args)
    } as Method
  const replaced = { concat, slice, sort, toSorted }
  for (const [name, method] of Object.entries(replaced)) define(name, counted(method as never))
  define(Symbol.iterator, counted(values))
  try {
    await task()
  } finally {
    for (const [name, method] of Object.entries(replaced)) define(name, method)
    define(Symbol.iterator, values)
  }
  return count
}

function define(name: PropertyKey, value: unknown): void {
  Object.defineProperty(Array.prototype, name, { value, writable: true, configurable: true })
}
