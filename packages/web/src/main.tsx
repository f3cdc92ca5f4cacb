import './app.css'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { whenUnauthenticated } from './data/client.ts'
import { knownMe } from './data/me.ts'
import { createQueryClient } from './data/query-client.ts'
import { whenServerIsBack } from './data/reachability.ts'
import { createAppRouter } from './router.ts'
import { askToSignInAgain, SignInLayer } from './shell/sign-in-layer.tsx'
import { followPreferences, followTheme } from './shell/theme.ts'
import { Toasts, toast } from './ui/toast.tsx'
import { TooltipLayer } from './ui/tooltip.tsx'
import { ShortcutProvider } from './ui/use-shortcuts.tsx'

followTheme()
followPreferences()
offerReloadAfterUpdate()
const queryClient = createQueryClient(askWhoThisIs)
const router = createAppRouter(queryClient)
whenUnauthenticated(askWhoThisIs)
whenServerIsBack(() => void queryClient.invalidateQueries())

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

/** A person whose sign-in ended is asked over the page, so that nothing typed is lost; everybody else at the door. */
function askWhoThisIs() {
  const { pathname, href } = router.state.location
  if (/^\/(login|setup|invite)(\/|$)/.test(pathname)) return
  const email = knownMe(queryClient)?.email
  if (email) askToSignInAgain(email)
  else router.navigate({ to: '/login', search: { next: href }, replace: true })
}

/** After an update of the server the chunks of this page's version are gone: say so, and let the reader choose when. */
function offerReloadAfterUpdate() {
  window.addEventListener('vite:preloadError', (event) => {
    event.preventDefault()
    toast.failure('A part of this page could not be loaded. The server may have been updated.', undefined, {
      label: 'Reload',
      run: () => location.reload(),
    })
  })
}
