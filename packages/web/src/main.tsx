import './app.css'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { serverIsDown } from './data/client.ts'
import { readCachedMe } from './data/me.ts'
import { createQueryClient } from './data/query-client.ts'
import { unauthenticatedRequests } from './data/session.ts'
import { createAppRouter } from './router.ts'
import { askToSignInAgain, SignInLayer } from './shell/sign-in-layer.tsx'
import { followMotion, followTheme } from './shell/theme.ts'
import { ShortcutProvider } from './ui/shortcuts.tsx'
import { Toasts, toast } from './ui/toast.tsx'
import { TooltipLayer } from './ui/tooltip.tsx'

followTheme()
followMotion()
offerReloadAfterUpdate()
const queryClient = createQueryClient(askToSignIn)
const router = createAppRouter(queryClient)
unauthenticatedRequests.subscribe(askToSignIn)
serverIsDown.subscribe(() => {
  if (!serverIsDown.read()) void queryClient.invalidateQueries()
})

createRoot(document.getElementById('root')!).render(
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

/** Asks a user whose session expired to sign in over the page, so that unsaved input is kept; others go to the sign-in page. */
function askToSignIn() {
  const { pathname, href } = router.state.location
  if (/^\/(login|setup|invite)(\/|$)/.test(pathname)) return
  const email = readCachedMe(queryClient)?.email
  if (email) askToSignInAgain(email)
  else router.navigate({ to: '/login', search: { next: href }, replace: true })
}

/** After a server update the chunks of the loaded version are gone: offers a reload instead of reloading by itself. */
function offerReloadAfterUpdate() {
  window.addEventListener('vite:preloadError', (event) => {
    event.preventDefault()
    toast.failure('Could not load part of this page. The server may have been updated.', undefined, {
      label: 'Reload',
      run: () => location.reload(),
    })
  })
}
