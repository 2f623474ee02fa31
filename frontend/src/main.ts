import { mount } from "svelte";
import "./app.css";
import App from "./App.svelte";
import { watchLinks } from "./lib/router.svelte";

watchLinks();
mount(App, { target: document.body });
