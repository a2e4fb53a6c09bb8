import { startCopying } from "./copy.js";
import { startSearch } from "./search.js";
import { followAddress, startSteppers } from "./stepper.js";
import { startTriage } from "./triage.js";

document.documentElement.classList.add("scripted");
startSteppers();
startTriage();
startSearch();
startCopying();
followAddress();
addEventListener("hashchange", followAddress);
