import {
  type ComponentType,
  cloneElement,
  lazy,
  type ReactElement,
  useEffect,
  useEffectEvent,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import { codeRetries } from '#lib/code-failure.ts'
import { useStore } from '#lib/store.ts'

/**
 * An optional component in its own chunk. It renders a replacement if the chunk fails to load, so that the page and its
 * unsaved input survive a server outage. The chunk is requested again when the server answers, or the next time the
 * component is mounted.
 *
 * @param load  imports the chunk
 * @param Replacement  shown while the chunk is missing. It keeps its place while it has the focus. @default nothing
 */
export function lazyExtra<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  Replacement?: ComponentType<Props>,
): LazyPart<Props> {
  let ready: ComponentType<Props> | undefined
  const { preload } = loadAhead(async () => {
    ready = await load()
  })
  const attempt = (): ComponentType<Props> =>
    lazy<ComponentType<Props>>(() =>
      load().then(
        (component) => ({ default: component }),
        () => ({ default: Missing }),
      ),
    )
  let current = attempt()

  function Missing(props: Props) {
    const [shownAt] = useState(codeRetries.read)
    const retries = useStore(codeRetries)
    const [loaded, setLoaded] = useState<{ Part: ComponentType<Props> }>()
    const box = useRef<HTMLSpanElement>(null)
    useEffect(() => {
      if (retries === shownAt) return
      let isLatest = true
      // The replacement stays while the chunk loads, and a missing chunk stays missing until the next time.
      load().then(
        (Part) => isLatest && whenUnfocused(box.current, () => setLoaded({ Part })),
        () => undefined,
      )
      return () => {
        isLatest = false
      }
    }, [retries, shownAt])
    useEffect(
      () => () => {
        current = attempt()
      },
      [],
    )
    if (loaded) return <loaded.Part {...props} />
    return (
      Replacement && (
        <span ref={box} className="contents">
          <Replacement {...props} />
        </span>
      )
    )
  }

  function Extra(props: Props) {
    const [Part] = useState(() => ready ?? current)
    return <Part {...props} />
  }
  return Object.assign(Extra, { preload })
}

/** Calls back once an element does not contain the focus, so that a user who types is not interrupted. */
function whenUnfocused(box: HTMLElement | null, callback: () => void): void {
  const isFocused = box?.contains(document.activeElement) ?? false
  if (!isFocused) callback()
  else box?.addEventListener('focusout', () => setTimeout(() => whenUnfocused(box, callback)), { once: true })
}

/** A component in its own chunk that can be preloaded. */
export type LazyPart<Props> = ComponentType<Props> & { readonly preload: () => Promise<unknown> }

/**
 * Renders a loaded component together with its surroundings. `lazy` alone would show a fallback first, and React waits
 * 300 ms between fallbacks. If the chunk fails to load, the error goes to the error boundary around the component, and the
 * chunk is requested again when that boundary retries: `lazy` alone would keep the failure.
 */
export function lazyPart<Props extends object>(load: () => Promise<ComponentType<Props>>): LazyPart<Props> {
  let ready: ComponentType<Props> | undefined
  const fetched = async () => {
    ready = await load()
    return ready
  }
  const attempt = (): ComponentType<Props> =>
    lazy<ComponentType<Props>>(() =>
      fetched().then(
        (component) => ({ default: component }),
        (error: unknown) => ({ default: () => <Failed error={error} /> }),
      ),
    )
  let current = attempt()

  // Throws after its first commit. A render that suspends or throws before that starts over with new state, so that it
  // would request the chunk in a loop instead of showing the error.
  function Failed({ error }: { error: unknown }) {
    const [isCommitted, setCommitted] = useState(false)
    useLayoutEffect(() => {
      setCommitted(true)
      return () => {
        current = attempt()
      }
    }, [])
    if (isCommitted) throw error
    return null
  }

  function Part(props: Props) {
    const [Loaded] = useState(() => ready ?? current)
    return <Loaded {...props} />
  }
  return Object.assign(Part, { preload: loadAhead(fetched).preload })
}

/** While the server is away, code is loaded ahead of its use at most this often. */
const AHEAD_EVERY_MS = 3_000

/**
 * Loads code once: `load` requests missing code at once. `preload` is for handlers that are called often, ahead of the use;
 * it requests missing code again after some seconds, or when the server answers. The results never reject.
 */
function loadAhead(fetchCode: () => Promise<unknown>) {
  let loading: Promise<unknown> | undefined
  let waitUntil = 0
  let retries = 0
  const load = () => {
    loading ??= fetchCode().catch(() => {
      loading = undefined
      waitUntil = Date.now() + AHEAD_EVERY_MS
      retries = codeRetries.read()
    })
    return loading
  }
  const isWaiting = () => retries === codeRetries.read() && Date.now() < waitUntil
  return { load, preload: (): Promise<unknown> => (isWaiting() ? Promise.resolve() : load()) }
}

/** Code of a layer (menu, popover) that is loaded when its trigger is hovered or focused. */
interface LayerCode<Props> {
  /** The component after it has been loaded. */
  current: ComponentType<Props> | undefined
  /** Loads it now; missing code is requested again each time. */
  load: () => Promise<unknown>
  /** Loads it ahead of its use. */
  preload: () => Promise<unknown>
}

export function layerCode<Props>(load: () => Promise<ComponentType<Props>>): LayerCode<Props> {
  const ahead = loadAhead(async () => {
    code.current = await load()
  })
  const code: LayerCode<Props> = { current: undefined, ...ahead }
  return code
}

/**
 * Handlers for a control whose code is loaded before it is used: when the focus comes to it, or a pointer moves or goes down
 * on it. A pointer that lies still below a page that opens loads nothing.
 */
export function onApproach(load: () => void) {
  return { onPointerMove: load, onPointerDown: load, onFocus: load }
}

/**
 * Returns a layer's component once it is needed and loaded.
 *
 * @param onFailed  called if it could not be loaded
 */
export function useLayer<Props>(code: LayerCode<Props>, isNeeded: boolean, onFailed: () => void) {
  const [, setLoaded] = useState(false)
  const failed = useEffectEvent(onFailed)
  useEffect(() => {
    if (isNeeded && !code.current) void code.load().then(() => (code.current ? setLoaded(true) : failed()))
  }, [isNeeded, code])
  return code.current
}

/**
 * Returns the layer's component when it is open and loaded, and a function that draws the trigger until then. The trigger
 * loads the code when it is approached and opens the layer on click.
 *
 * @param onOpenChange  called on that click
 * @param preloadContent  loads the code of what is inside the layer, so that both appear at once
 */
export function useLayerOnApproach<Props>(
  code: LayerCode<Props>,
  isOpen: boolean,
  kind: 'menu' | 'dialog',
  onOpenChange?: (open: boolean) => void,
  preloadContent?: () => Promise<unknown>,
) {
  const [isPressed, setPressed] = useState(false)
  const [isLoaded, setLoaded] = useState(code.current !== undefined && preloadContent === undefined)
  const isRequested = isPressed || isOpen
  const load = () => Promise.all([code.load(), preloadContent?.()])
  // Without the code the next click tries again.
  const loaded = useEffectEvent(() => load().then(() => (code.current ? setLoaded(true) : setPressed(false))))
  useEffect(() => {
    if (isRequested && !isLoaded) void loaded()
  }, [isRequested, isLoaded])

  return {
    Layer: isRequested && isLoaded ? code.current : undefined,
    /** Draws the trigger while the layer is not mounted. */
    bare: (trigger: ReactElement) =>
      cloneElement(trigger as ReactElement<Record<string, unknown>>, {
        'aria-haspopup': kind,
        'aria-expanded': false,
        ...onApproach(() => void Promise.all([code.preload(), preloadContent?.()])),
        onClick: () => {
          setPressed(true)
          onOpenChange?.(true)
        },
      }),
  }
}
