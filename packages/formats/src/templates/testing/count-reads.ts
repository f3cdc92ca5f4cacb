/** A value whose objects count how often their members are looked at. */
export function countReads<Value extends object>(
  value: Value,
): { readonly value: Value; readonly reads: () => number } {
  let reads = 0
  const wrap = <Inner extends object>(inner: Inner): Inner =>
    new Proxy(inner, {
      getOwnPropertyDescriptor(target, key) {
        reads++
        return Reflect.getOwnPropertyDescriptor(target, key)
      },
      get(target, key) {
        const found: unknown = Reflect.get(target, key)
        return typeof found === 'object' && found !== null ? wrap(found) : found
      },
    })
  return { value: wrap(value), reads: () => reads }
}
