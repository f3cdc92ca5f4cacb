import './app.css'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { readCachedMe } from './features/accounts/me.ts'
import { checkServer, reportUnreachable, serverIsDown } from './lib/api/client.ts'
import { createQueryClient } from './lib/api/query-client.ts'
import { unauthenticatedRequests } from './lib/api/session.ts'
import { isCausedByCode, noteCodeFailure, retryCode } from './lib/code-failure.ts'
import { createAppRouter } from './router.ts'
import { followMotion, followTheme } from './shell/frame/theme.ts'
import { askToSignInAgain, SignInLayer } from './shell/sign-in-layer.tsx'
import { ShortcutProvider } from './ui/shortcuts.tsx'
import { Toasts, toast } from './ui/toast.tsx'
import { TooltipLayer } from './ui/tooltip.tsx'

followTheme()
followMotion()
watchForMissingCode()
const queryClient = createQueryClient(askToSignIn)
const router = createAppRouter(queryClient)
preloadFirstPage()
unauthenticatedRequests.subscribe(askToSignIn)
serverIsDown.subscribe(() => {
  if (!serverIsDown.read()) recover()
})
window.addEventListener('online', recover)

createRoot(document.getElementById('root')!, { onCaughtError: logCrash }).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <ShortcutProvider>
        <RouterProvider router={router} />
        <SignInLayer />
        <Toasts />
        <TooltipLayer />
      </ShortcutProvider>
    </QueryClientProvider>
  </StrictMode>,
)

/** Requests the code of the page at once. The router does so only after the checks of its routes, which ask the server. */
function preloadFirstPage() {
  const [routes] = router.getMatchedRoutes(router.latestLocation.pathname)
  for (const { options } of routes) void options.component?.preload?.()
}

/** Asks a user whose session expired to sign in over the page, so that unsaved input is kept; others go to the sign-in page. */
function askToSignIn() {
  const { pathname, href } = router.state.location
  if (/^\/(login|setup|invite)(\/|$)/.test(pathname)) return
  const email = readCachedMe(queryClient)?.email
  if (email) askToSignInAgain(email)
  else router.navigate({ to: '/login', search: { next: href }, replace: true })
}

/** Loads what failed while the server was away. */
function recover() {
  void queryClient.invalidateQueries()
  void retryCode(reloadPage)
}

async function reloadPage() {
  // The router takes a component for loaded after its code has failed once.
  const components = router.state.matches.map(({ routeId }) => router.routesById[routeId].options.component)
  await Promise.all(components.map((component) => component?.preload?.()))
  await router.invalidate()
}

/** A page without its code shows that itself; other crashes are for the console. */
function logCrash(error: unknown, { componentStack }: { componentStack?: string | undefined }) {
  if (!isCausedByCode()) console.error(error, componentStack)
}

/**
 * After a server update the chunks of the loaded version are gone: offers a reload instead of reloading by itself. While
 * the server is away, the page waits for it.
 */
function watchForMissingCode() {
  window.addEventListener('vite:preloadError', (event) => {
    // By the browser's own message the router recognizes missing code, and reloads the window.
    event.payload.message = 'The code of this page could not be loaded.'
    void noteCodeFailure(checkServer).then((why) => {
      if (why === 'gone') offerReload()
      // Also after an error of a proxy in front of the server, which is an answer.
      else reportUnreachable()
    })
  })
}

function offerReload() {
  toast.failure('Could not load part of this page. The server may have been updated.', undefined, {
    label: 'Reload',
    run: () => location.reload(),
  })
}
