import { type ComponentType, lazy, useState } from 'react'

/** A component with a chunk of its own that may be fetched before it is wanted. */
export type LazyPart<Props> = ComponentType<Props> & { readonly preload: () => void }

/**
 * Once the chunk is there, the component is drawn with what is around it. (Left to `lazy` alone it would be a fallback
 * first, and React waits 300 ms between what it shows of one.)
 */
export function lazyPart<Props extends object>(load: () => Promise<ComponentType<Props>>): LazyPart<Props> {
  let ready: ComponentType<Props> | undefined
  const fetched = async () => {
    ready = await load()
    return { default: ready }
  }
  const Later = lazy(fetched)

  function Part(props: Props) {
    const [Chosen] = useState(() => ready ?? Later)
    return <Chosen {...props} />
  }
  return Object.assign(Part, { preload: () => void fetched().catch(() => undefined) })
}
