;(() => {
  const readText = (name) => {
    try {
      return localStorage.getItem(`touchstone.${name}`)
    } catch {}
  }
  const read = (name) => {
    try {
      return JSON.parse(readText(name))
    } catch {}
  }
  const root = document.documentElement
  const theme = read('theme')
  const dark = theme === 'dark' || (theme !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches)
  root.dataset.theme = dark ? 'dark' : 'light'
  // Pages with a sidebar. `/` leads to one if this browser has been in a workspace, otherwise maybe to the sign-in.
  const path = location.pathname
  const hasSidebar = path === '/' ? readText('workspace') : path.startsWith('/o/') && !path.endsWith('/review')
  if (hasSidebar) root.dataset.frame = read('sidebar-collapsed') ? 'narrow' : 'wide'
})()
